import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeptResponses } from './kept-responses.ts'

function made() {
  let notify = () => {}
  const kept = new KeptResponses({
    subscribe(listener) {
      notify = () => listener({ network: null })
      return () => {}
    },
  })
  return { kept, notify: () => notify() }
}

const request = { key: 'k', client: 'a', maxAgeS: 60 }
const response = (text: string) => ({ headers: {}, text })

test('no request gets what was read before a change that was notified before the request', async () => {
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('read' as const),
      key: fc.constantFrom('a', 'b'),
      client: fc.constantFrom('x', 'y'),
    }),
    fc.constant({ kind: 'change' as const }),
  )
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.array(step, { minLength: 2, maxLength: 30 }), async (scheduler, steps) => {
      const { kept, notify } = made()
      let [value, notified, reads] = [0, 0, 0]
      const requests: Promise<void>[] = []
      for (const each of steps) {
        if (each.kind === 'change') {
          value++
          void scheduler.schedule(Promise.resolve(value)).then((changed) => {
            notified = Math.max(notified, changed)
            notify()
          })
        } else {
          const least = notified
          const read = async () => {
            reads++
            const seen = value
            await scheduler.schedule(Promise.resolve())
            return response(`${each.key} ${seen}`)
          }
          const { key, client } = each
          requests.push(
            kept.of({ key, client, maxAgeS: 60 }, read).then(({ body }) => {
              const [of, seen] = String(body).split(' ')
              expect(of).toBe(key)
              expect(Number(seen)).toBeGreaterThanOrEqual(least)
            }),
          )
        }
        if (requests.length % 3 === 0 && scheduler.count() > 0) await scheduler.waitOne()
      }
      await scheduler.waitFor(Promise.all(requests))
      expect(reads).toBeLessThanOrEqual(requests.length)
    }),
  )
})

test('identical requests read once until a change', async () => {
  const { kept, notify } = made()
  let reads = 0
  const read = async () => response(String(++reads))
  const bodies = await Promise.all([1, 2, 3].map(() => kept.of(request, read)))
  expect(bodies.map(({ body }) => body)).toEqual(['1', '1', '1'])
  expect((await kept.of({ ...request, client: 'b' }, read)).body).toBe('1')
  notify()
  expect((await kept.of(request, read)).body).toBe('2')
})

test('a failure belongs to the request that read; the others read again', async () => {
  const { kept } = made()
  const gone = kept.of(request, () => Promise.reject(new Error('gone')))
  const other = kept.of(request, async () => response('é'))
  await expect(gone).rejects.toThrow('gone')
  expect(String((await other).body)).toBe('é')
})

test('a client does not wait for the read of another one', async () => {
  const { kept } = made()
  void kept.of(request, () => new Promise(() => {}))
  expect((await kept.of({ ...request, client: 'b' }, async () => response('b'))).body).toBe('b')
})

test('what clients may not keep is not kept for long, and large responses not at all', async () => {
  const { kept } = made()
  const large = 'x'.repeat(3 * 1024 * 1024)
  expect((await kept.of(request, async () => response(large))).length).toBe(large.length)
  expect((await kept.of(request, async () => response('small'))).body).toBe('small')
})
