import { expect, it } from 'vitest'
import { RequestGate } from './request-gate.ts'

/** Work that ends when the test ends it. */
function jobs() {
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const job = (name: string) => () => {
    started.push(name)
    return new Promise<void>((resolve) => finish.set(name, resolve))
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const end = async (name: string): Promise<void> => {
    finish.get(name)?.()
    await settle()
  }
  return { started, job, settle, end }
}

it('runs no more than its slots, and work at the head before work in bulk', async () => {
  const gate = new RequestGate(1)
  const { started, job, settle, end } = jobs()
  const all = [
    gate.run('bulk', job('bulk 1')),
    gate.run('bulk', job('bulk 2')),
    gate.run('live', job('live 1')),
    gate.run('live', job('live 2')),
    gate.run('live', job('live 3')),
  ]
  await settle()
  expect(started).toEqual(['bulk 1', 'live 1', 'live 2'])
  await end('bulk 1')
  expect(started.at(-1)).toBe('live 3')
  for (const name of ['live 1', 'live 2', 'live 3', 'bulk 2']) await end(name)
  await Promise.all(all)
  expect(started).toHaveLength(5)
})

it('leaves work at the head its slots when work in bulk is slowed down that is under way', async () => {
  const gate = new RequestGate(6)
  const { started, job, settle, end } = jobs()
  const bulk = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => gate.run('bulk', job(name)))
  await settle()
  gate.slowDown()
  const live = ['x', 'y', 'z'].map((name) => gate.run('live', job(name)))
  await settle()
  expect(started.slice(6)).toEqual(['x', 'y'])
  for (const name of started) await end(name)
  await end('z')
  await Promise.all([...bulk, ...live])
})

it('frees the slot of work that fails', async () => {
  const gate = new RequestGate(1)
  await expect(gate.run('bulk', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(gate.run('bulk', async () => 'yes')).resolves.toBe('yes')
})

it('halves its slots on a slow-down and gets them back with success', async () => {
  const gate = new RequestGate(4)
  const { started, job, settle, end } = jobs()
  gate.slowDown()
  gate.slowDown()
  const first = ['a', 'b'].map((name) => gate.run('bulk', job(name)))
  await settle()
  expect(started).toEqual(['a'])
  const more = gate.run('bulk', job('c'))
  for (let i = 0; i < 40; i++) gate.served()
  await settle()
  expect(started).toEqual(['a', 'b'])
  await end('a')
  expect(started).toEqual(['a', 'b', 'c'])
  await end('b')
  await end('c')
  await Promise.all([...first, more])
})
