import { Interface } from 'ethers'

/** Makes an interface that caches its topics, because ethers would hash them again for each log. */
export function eventInterface(events: readonly string[]): Interface {
  const face = new Interface(events)
  face.forEachEvent((event) => Object.defineProperty(event, 'topicHash', { value: event.topicHash }))
  return face
}
