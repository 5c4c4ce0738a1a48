export {
  NOT_SENT,
  type OutgoingMessage,
  type ProbeResult,
  type PublishContext,
  type Transport,
  type TransportCapabilities,
} from './transport.ts';
export { TRANSPORT_ERROR_CODES, TransportError, type TransportErrorCode } from './transport-error.ts';
