export { type CloudEventsOptions, cloudEventAttributes } from './cloud-event.ts';
export { CLOUD_EVENTS_MODES, type CloudEventsMode, type HttpEvent, httpEvent } from './http-binding.ts';
export { structuredJson } from './json-format.ts';
