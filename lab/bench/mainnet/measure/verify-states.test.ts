import { expect, test } from 'vitest'
import { readVerified } from './verify-states.ts'

test('what verify says of states is read from its last line', () => {
  expect(readVerified('bsc: 0 blocks with 0 trades and 7204 pool states compared, equal\n')).toEqual({
    compared: 7204,
    differing: 0,
  })
  const differing =
    'block  what  details\n5  pool state  0xab\nbsc: 0 blocks with 0 trades and 12 pool states compared, 3 differences, 0 repaired\n'
  expect(readVerified(differing)).toEqual({ compared: 12, differing: 3 })
  expect(readVerified('bsc: 10 blocks with 3 trades compared, equal\n')).toBeNull()
})
