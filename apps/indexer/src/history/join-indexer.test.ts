import { expect, test, vi } from 'vitest'
import { channelToParent } from './join-indexer.ts'

test('a message to an indexer that has just closed the channel is dropped without an error', () => {
  let sent: unknown[] = []
  const send = vi.spyOn(process, 'send').mockImplementation((...args: unknown[]) => {
    sent = args
    return false
  })
  channelToParent().send({ kind: 'joined' })
  send.mockRestore()
  const [message, , , onSent] = sent
  expect(message).toEqual({ kind: 'joined' })
  // Without a callback, Node emits the error on the process.
  expect(onSent).toBeTypeOf('function')
})
