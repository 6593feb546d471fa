import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { repeatStep } from './loop.ts'

test('many loops on one signal all end with it and leave no listener', async () => {
  const stop = new AbortController()
  let begun = 0
  const loops = Array.from({ length: 30 }, (_, at) =>
    repeatStep(
      { ended: stop.signal },
      async () => {
        begun++
        if (at % 2 === 0) throw new Error('waits after a failure, too')
        return 3_600_000
      },
      () => undefined,
    ),
  )
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toBe(30)
  expect(getEventListeners(stop.signal, 'abort')).toEqual([])
  stop.abort()
  await Promise.all(loops)
})
