import { expect, test } from 'vitest'
import { FairQueue, Quotas } from './quotas.ts'

test('a client that holds its whole quota leaves other clients theirs', () => {
  const quotas = new Quotas({ total: 9, perClient: 3 })
  const release = quotas.take('a', 'lists')
  for (let place = 0; place < 2; place++) quotas.take('a', 'lists')
  expect(() => quotas.take('a', 'lists')).toThrow('too many lists are being sent to you')
  for (let place = 0; place < 3; place++) quotas.take('b', 'lists')
  release()
  quotas.take('a', 'lists')
})

test('all places together are limited, and a place that is released twice counts once', () => {
  const quotas = new Quotas({ total: 2, perClient: 2 })
  const release = quotas.take('a', 'lists')
  quotas.take('b', 'lists')
  expect(() => quotas.take('c', 'lists')).toThrow('too many lists are being sent')
  release()
  release()
  expect(quotas.held).toBe(1)
  quotas.take('c', 'lists')
  expect(() => quotas.take('a', 'lists')).toThrow('too many lists are being sent')
})

test('waiting clients take turns, and never more run than there are slots', async () => {
  const queue = new FairQueue({ slots: 2, perClient: 4, total: 99 })
  const order: string[] = []
  let [running, most] = [0, 0]
  const work = (client: string, name: string) =>
    queue.run(client, async () => {
      most = Math.max(most, ++running)
      order.push(name)
      await new Promise((resolve) => setImmediate(resolve))
      running--
    })
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'].map((name) => work(name[0] ?? '', name))
  await Promise.all(all)
  expect(order).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'a5'])
  expect(most).toBe(2)
})

test('a client with too many waiting requests is refused, other clients are not', async () => {
  const queue = new FairQueue({ slots: 1, perClient: 1, total: 99 })
  const wait = () => new Promise<void>((resolve) => setImmediate(resolve))
  const running = [queue.run('a', wait), queue.run('a', wait)]
  await expect(queue.run('a', wait)).rejects.toThrow('too many of your requests are waiting')
  await Promise.all([...running, queue.run('b', wait)])
  await queue.run('a', wait)
})

test('if all places are taken, only a client that has its part of them is refused', async () => {
  const queue = new FairQueue({ slots: 1, perClient: 9, total: 4 })
  const wait = () => new Promise<void>((resolve) => setImmediate(resolve))
  const run = (client: string) => queue.run(client, wait)
  // One runs, three of a wait, and one of b.
  const running = ['a', 'a', 'a', 'a', 'b'].map(run)
  await expect(run('a')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  running.push(run('b'), run('c'))
  await expect(run('b')).rejects.toMatchObject({ status: 503 })
  await Promise.all(running)
  await run('a')
})
