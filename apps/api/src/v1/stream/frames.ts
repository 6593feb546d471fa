import type { EdgeEvent } from './edge/edge-event.ts'
import type { Framing } from './listener.ts'

/** An event, with the id to go on from where it has one. */
export interface IdentifiedEvent extends EdgeEvent {
  id?: string
}

/** Events as they go over the wire: one piece for all who listen in the same way. */
export function frame(events: readonly IdentifiedEvent[], framing: Framing): Buffer {
  return Buffer.from(framing === 'sse' ? events.map(sse).join('') : `[${events.map(message).join()}]`)
}

/** JSON has no line breaks of its own. */
function sse({ name, json, id }: IdentifiedEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`
}

function message({ name, json, id }: IdentifiedEvent): string {
  return `{"event":"${name}",${id === undefined ? '' : `"id":${JSON.stringify(id)},`}"data":${json}}`
}
