import { expect, test } from 'vitest'
import { assemble } from './assemble.ts'

test('opcodes, numbers, words of memory and jumps become machine code', () => {
  const source = `
    again:               # nothing but a comment: ADD
      [count] 1 ADD =count
      0xffffffff 256 SUB
      @again JUMP @end`
  expect(assemble(source, { count: 0x40 })).toBe(
    ['0x5b', '604051', '6001', '01', '604052', '63ffffffff', '610100', '03', '610000', '56', '61001a'].join(''),
  )
  expect(assemble('0', {})).toBe('0x6000')
  expect(assemble(`0x${'ff'.repeat(32)}`, {})).toBe(`0x7f${'ff'.repeat(32)}`)
})

test.each([
  ['PUSH', 'PUSH is no instruction'],
  ['@nowhere JUMP', 'nothing is called nowhere'],
  ['[nothing]', 'no word of memory is called nothing'],
  ['=nothing', 'no word of memory is called nothing'],
  [`0x1${'00'.repeat(32)}`, 'is no word'],
  ['here: ADD here:', 'here stands twice'],
])('%s is refused', (source, reason) => {
  expect(() => assemble(source, {})).toThrow(reason)
})
