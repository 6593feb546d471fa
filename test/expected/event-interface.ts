import { Interface } from 'ethers'

/** Returns an interface that keeps the topics of its events. ethers would hash all of them again for each log. */
export function eventInterface(events: readonly string[]): Interface {
  const face = new Interface(events)
  face.forEachEvent((event) => Object.defineProperty(event, 'topicHash', { value: event.topicHash }))
  return face
}
