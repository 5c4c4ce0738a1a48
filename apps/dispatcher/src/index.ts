export { type DispatcherDefinition, defineDispatcher } from './config/define-dispatcher.ts';
export type { LogLevel, Settings, SettingsInput } from './config/settings.ts';
export { call } from './routes/call.ts';
export { type HandleOptions, handle } from './routes/handle.ts';
export type { HandledMessage } from './routes/handled-message.ts';
export { type PublishOptions, publish } from './routes/publish.ts';
export type {
  CallContext,
  CallRoute,
  EnqueueHere,
  HandleContext,
  HandleRoute,
  HandlerResult,
  PublishRoute,
  Route,
} from './routes/route.ts';
