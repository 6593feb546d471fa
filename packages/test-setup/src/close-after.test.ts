import { beforeAll, expect, test } from 'vitest'
import { closeAfter } from './close-after.ts'

const closed: string[] = []

beforeAll(() => {
  closeAfter(() => closed.push('of the file'))
})

test.fails('a test that fails', async () => {
  for (const name of ['first', 'second']) closeAfter(() => closed.push(name))
  const close = closeAfter(() => closed.push('closed by the test'))
  await close()
  throw new Error('the failure')
})

test('leaves nothing open: what was opened last is closed first, and only once', () => {
  expect(closed).toEqual(['closed by the test', 'second', 'first'])
})
