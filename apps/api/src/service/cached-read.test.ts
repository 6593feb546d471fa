import { expect, test } from 'vitest'
import { CachedRead } from './cached-read.ts'

/** A value that counts its reads. The test ends each read. */
function countedReads(until: number) {
  const open: (() => void)[] = []
  let reads = 0
  const cached = new CachedRead(async () => {
    const value = ++reads
    await new Promise<void>((resolve) => open.push(resolve))
    return { value, until }
  })
  const end = () => {
    for (const resolve of open.splice(0)) resolve()
  }
  return { cached, end, reads: () => reads }
}

test('is read once for all concurrent calls, and not again until the database changes', async () => {
  const { cached, end, reads } = countedReads(100)
  const both = [cached.get(10), cached.get(10)]
  end()
  expect(await Promise.all(both)).toEqual([1, 1])
  expect([await cached.get(10), await cached.get(100), cached.peek(99), reads()]).toEqual([1, 1, 1, 1])
  cached.invalidate()
  expect(cached.peek(10)).toBeUndefined()
  const again = cached.get(11)
  end()
  expect(await again).toBe(2)
})

test('a call after a change does not get a read that began before it', async () => {
  const { cached, end } = countedReads(100)
  const before = cached.get(10)
  cached.invalidate()
  const after = cached.get(10)
  end()
  expect(await Promise.all([before, after])).toEqual([1, 2])
  expect(await cached.get(10)).toBe(2)
})

test('is valid only during its time', async () => {
  const { cached, end } = countedReads(20)
  const first = cached.get(10)
  end()
  expect([await first, cached.peek(20), cached.peek(21), cached.peek(9)]).toEqual([1, 1, undefined, undefined])
})

test('is read again after a failure', async () => {
  let reads = 0
  const cached = new CachedRead(async () => {
    if (++reads === 1) throw new Error('gone')
    return { value: reads, until: 100 }
  })
  await expect(cached.get(10)).rejects.toThrow('gone')
  expect(await cached.get(10)).toBe(2)
})
