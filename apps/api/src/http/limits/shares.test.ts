import { expect, test } from 'vitest'
import { FairQueue, Shares } from './shares.ts'

test('what other processes hold for a client counts towards its share, and towards no other client’s', () => {
  const shares = new Shares({ total: 9, perClient: 3 })
  shares.takenElsewhere(new Map([['a', 2]]))
  const release = shares.take('a', 'lists')
  expect(() => shares.take('a', 'lists')).toThrow('too many lists are being sent to you')
  for (let place = 0; place < 3; place++) shares.take('b', 'lists')
  release()
  shares.takenElsewhere(new Map([['a', 3]]))
  expect(() => shares.take('a', 'lists')).toThrow('too many lists are being sent to you')
  shares.takenElsewhere(new Map())
  for (let place = 0; place < 3; place++) shares.take('a', 'lists')
  expect(shares.taken()).toEqual({ a: 3, b: 3 })
})

test('all places together are bounded, and a place that is given up twice is one', () => {
  const shares = new Shares({ total: 2, perClient: 2 })
  const release = shares.take('a', 'lists')
  shares.take('b', 'lists')
  expect(() => shares.take('c', 'lists')).toThrow('too many lists are being sent')
  release()
  release()
  expect(shares.held).toBe(1)
  shares.take('c', 'lists')
  expect(() => shares.take('a', 'lists')).toThrow('too many lists are being sent')
})

test('clients that wait have their turns in turn, never more at a time than there are slots', async () => {
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

test('a client of which too much waits is refused, others are not', async () => {
  const queue = new FairQueue({ slots: 1, perClient: 1, total: 99 })
  const wait = () => new Promise<void>((resolve) => setImmediate(resolve))
  const running = [queue.run('a', wait), queue.run('a', wait)]
  await expect(queue.run('a', wait)).rejects.toThrow('too many of your requests are waiting')
  await Promise.all([...running, queue.run('b', wait)])
  await queue.run('a', wait)
})

test('where all places are taken a client is refused that has its part of them, and no other', async () => {
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

test('what a client holds elsewhere is part of its share, and not of the other clients’', () => {
  const shares = new Shares({ total: 9, perClient: 3 })
  shares.take('a', 'pages')
  shares.takenElsewhere(new Map([['a', 1]]))
  shares.take('a', 'pages')
  expect(() => shares.take('a', 'pages')).toThrow('too many pages are being sent to you')
  shares.take('b', 'pages', 3)
  shares.takenElsewhere(new Map())
  shares.take('a', 'pages')
  expect(shares.taken()).toEqual({ a: 3, b: 3 })
})
