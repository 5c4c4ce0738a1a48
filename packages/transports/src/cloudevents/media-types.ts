/** What the data of a message is. */
export const DATA_MEDIA_TYPE = 'application/json';

/** What an event in the JSON format is; a receiver tells the modes apart by its beginning. */
export const EVENT_MEDIA_TYPE = 'application/cloudevents+json; charset=utf-8';
