import type { EdgeEvent } from './edge/edge-event.ts'
import type { Framing } from './listener.ts'

/** An event. Some have an id from which a client can resume. */
export interface IdentifiedEvent extends EdgeEvent {
  id?: string
}

/** Encodes events for a transport, once for all listeners with the same filter. */
export function frame(events: readonly IdentifiedEvent[], framing: Framing): Buffer {
  return Buffer.from(framing === 'sse' ? events.map(sse).join('') : `[${events.map(message).join()}]`)
}

/** JSON contains no raw line breaks. */
function sse({ name, json, id }: IdentifiedEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`
}

function message({ name, json, id }: IdentifiedEvent): string {
  return `{"event":"${name}",${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"data":${json}}`
}
