import { expect, test } from 'vitest'
import { Kept } from './kept.ts'

/** A value that counts its reads. The test ends each read. */
function countedReads(until: number) {
  const open: (() => void)[] = []
  let reads = 0
  const kept = new Kept(async () => {
    const value = ++reads
    await new Promise<void>((resolve) => open.push(resolve))
    return { value, until }
  })
  const end = () => {
    for (const resolve of open.splice(0)) resolve()
  }
  return { kept, end, reads: () => reads }
}

test('is read once for all concurrent calls, and not again until the database changes', async () => {
  const { kept, end, reads } = countedReads(100)
  const asked = [kept.get(10), kept.get(10)]
  end()
  expect(await Promise.all(asked)).toEqual([1, 1])
  expect([await kept.get(10), await kept.get(100), kept.peek(99), reads()]).toEqual([1, 1, 1, 1])
  kept.invalidate()
  expect(kept.peek(10)).toBeUndefined()
  const again = kept.get(11)
  end()
  expect(await again).toBe(2)
})

test('a call after a change does not get a read that began before it', async () => {
  const { kept, end } = countedReads(100)
  const before = kept.get(10)
  kept.invalidate()
  const after = kept.get(10)
  end()
  expect(await Promise.all([before, after])).toEqual([1, 2])
  expect(await kept.get(10)).toBe(2)
})

test('is valid only during its time', async () => {
  const { kept, end } = countedReads(20)
  const first = kept.get(10)
  end()
  expect([await first, kept.peek(20), kept.peek(21), kept.peek(9)]).toEqual([1, 1, undefined, undefined])
})

test('is read again after a failure', async () => {
  let reads = 0
  const kept = new Kept(async () => {
    if (++reads === 1) throw new Error('gone')
    return { value: reads, until: 100 }
  })
  await expect(kept.get(10)).rejects.toThrow('gone')
  expect(await kept.get(10)).toBe(2)
})
