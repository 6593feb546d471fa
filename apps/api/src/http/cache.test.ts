import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeMarks } from '../service/change-feed.ts'
import { type Bounds, Cache, cachedRead } from './cache.ts'

type Text = { text: string }

function changes() {
  let report = () => {}
  const mark = changeMarks({
    subscribe(listener) {
      report = () => listener({ network: null })
      return () => {}
    },
  })
  return { mark, report: () => report() }
}

/** A cache of texts, with a clock and a dependency that the test moves. */
function scene(bounds?: Bounds<Text>) {
  const clock = { now: 10 }
  const { mark, report } = changes()
  const cache = new Cache<Text>(() => clock.now, bounds)
  const read = async (work: () => Promise<string>, { key = 'k', flight = 'a', until = 100, signal = NEVER } = {}) => {
    const reading = { flight, mark, signal }
    return (await cache.read(key, reading, async () => ({ value: { text: await work() }, until }))).text
  }
  const keep = (key: string, text: string, until?: number) => {
    cache.keep(key, { value: { text }, ...(until !== undefined && { until }) }, mark())
  }
  return { clock, cache, report, read, keep }
}
const NEVER = new AbortController().signal
const LARGE = { maxBytes: 10_000, maxEntryBytes: 1_000, bytesOf: ({ text }: Text) => text.length }

test('no call gets what was read before a change that was reported before the call', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('read' as const),
      key: fc.constantFrom('a', 'b'),
      flight: fc.constantFrom('x', 'y'),
    }),
    fc.constant({ kind: 'change' as const }),
  )
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { minLength: 2, maxLength: 30 }), async (scheduler, steps) => {
      const { read, report } = scene(LARGE)
      let [value, reported, reads] = [0, 0, 0]
      const calls: Promise<void>[] = []
      for (const each of steps) {
        if (each.kind === 'change') {
          value++
          void scheduler.schedule(Promise.resolve(value)).then((changed) => {
            reported = Math.max(reported, changed)
            report()
          })
        } else {
          const { key, flight } = each
          const least = reported
          const work = async () => {
            reads++
            const seen = value
            await scheduler.schedule(Promise.resolve())
            return `${key} ${seen}`
          }
          calls.push(
            read(work, { key, flight }).then((text) => {
              const [of, seen] = text.split(' ')
              expect(of).toBe(key)
              expect(Number(seen)).toBeGreaterThanOrEqual(least)
            }),
          )
        }
        if (calls.length % 3 === 0 && scheduler.count() > 0) await scheduler.waitOne()
      }
      await scheduler.waitFor(Promise.all(calls))
      expect(reads).toBeLessThanOrEqual(calls.length)
    }),
  )
})

test('concurrent calls read once, and further ones only after a change', async () => {
  const { read, report } = scene()
  let reads = 0
  const work = async () => String(++reads)
  expect(await Promise.all([1, 2, 3].map(() => read(work)))).toEqual(['1', '1', '1'])
  expect(await read(work, { flight: 'b' })).toBe('1')
  report()
  expect(await read(work)).toBe('2')
})

test('a call does not wait for a read of another flight', async () => {
  const { read } = scene()
  void read(() => new Promise(() => {}))
  expect(await read(async () => 'b', { flight: 'b' })).toBe('b')
})

test('concurrent calls share a failure, and later ones read again', async () => {
  const { read } = scene()
  let reads = 0
  const work = () => (++reads === 1 ? Promise.reject(new Error('gone')) : Promise.resolve(String(reads)))
  const calls = await Promise.allSettled([read(work), read(work)])
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await read(work)).toBe('2')
})

test('a read that ended with its own client is not shared; the others read again', async () => {
  const { read } = scene()
  const left = new AbortController()
  const work = async () => {
    left.abort()
    throw new Error('the client is gone')
  }
  const gone = read(work, { signal: left.signal })
  const others = [read(async () => 'first'), read(async () => 'second')]
  await expect(gone).rejects.toThrow('the client is gone')
  expect(await Promise.all(others)).toEqual(['first', 'first'])
})

test('a value is valid from its time on, up to its last second', () => {
  const { cache, keep, clock } = scene()
  keep('k', 'v', 20)
  const at = (now: number) => {
    clock.now = now
    return cache.get('k')?.text
  }
  expect([9, 10, 20, 21].map(at)).toEqual([undefined, 'v', 'v', undefined])
  clock.now = 10
  keep('k', 'w')
  expect([9, 10, 1_000_000].map(at)).toEqual([undefined, 'w', 'w'])
})

test('what is too large is not kept, and what was not used for long makes room', () => {
  const { cache, keep } = scene(LARGE)
  // The key counts, too.
  keep('small', 'x'.repeat(995))
  keep('large', 'x'.repeat(996))
  expect([cache.get('small'), cache.get('large')]).toEqual([{ text: 'x'.repeat(995) }, undefined])
  keep('first', 'x'.repeat(900))
  for (let n = 0; n < 9; n++) keep(String(n), 'x'.repeat(900))
  expect(cache.get('first')).toBeDefined()
  for (let n = 0; n < 9; n++) keep(`more ${n}`, 'x'.repeat(900))
  expect(cache.get('0')).toBeUndefined()
  expect(cache.get('first')).toBeDefined()
})

test('a cached read is made once a second, while what it depends on is unchanged', async () => {
  const { mark, report } = changes()
  const clock = { now: 10 }
  let reads = 0
  const ends: (() => void)[] = []
  const read = async () => {
    const value = { text: String(++reads) }
    await new Promise<void>((resolve) => ends.push(resolve))
    return { value, until: 20 }
  }
  const cached = cachedRead(read, { now: () => clock.now, mark })
  const texts = async (...calls: Promise<Text>[]) => {
    for (const end of ends.splice(0)) end()
    return (await Promise.all(calls)).map(({ text }) => text)
  }
  expect(await texts(cached(), cached())).toEqual(['1', '1'])
  clock.now = 20
  expect(await texts(cached())).toEqual(['1'])
  const before = cached()
  report()
  expect(await texts(before, cached())).toEqual(['1', '2'])
  clock.now = 21
  const late = cached()
  clock.now = 22
  expect(await texts(late, cached())).toEqual(['3', '4'])
})
