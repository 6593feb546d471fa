import type { Hex } from '@dexfeed/dex'
import { expect, it } from 'vitest'
import { bloomCheck } from './confirm-no-logs.ts'

/** The bloom of Ethereum block 13998626 (hash 0x68985b6b…), the same at every archive. */
const BLOOM: Hex =
  '0x002200000000000210000400820002400000000000000000002000002000000000400100000000100000100000000000020080000800280002000800002000000000004000000828002a0008000000200180000000400000200004008000002004000000004000000004000000000040000000200000040000000010000800004000000002000000000800000000000000000001000000080028004008000000024008020082000002004040088004000000008004000000000000000040000000000002000000000000000000000000020000004000401000000102000000008030200000000000000000000080080000000000000000400000000000001000'
const V3_SWAP: Hex = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'
const V2_SWAP: Hex = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const WITHDRAWAL: Hex = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'
const V2_BURN: Hex = '0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496'

it('finds every topic that a real block has, and none that it has not', () => {
  for (const topic of [V3_SWAP, V2_SWAP, WITHDRAWAL]) expect(bloomCheck([topic])(BLOOM)).toBe('strong')
  expect(bloomCheck([V2_BURN, V2_SWAP])(BLOOM)).toBe('strong')
  expect(bloomCheck([V2_BURN])(BLOOM)).toBe('none')
})

it('does not take a single bit for a claim', () => {
  const claims = bloomCheck([V2_SWAP, V3_SWAP])
  for (let bit = 0; bit < 2048; bit++)
    expect(claims(`0x${(1n << BigInt(bit)).toString(16).padStart(512, '0')}`)).toBe('none')
})

it('does not trust a bloom that claims everything', () => {
  expect(bloomCheck([V2_BURN])(`0x${'ff'.repeat(256)}`)).toBe('weak')
})

it('takes an empty bloom, one of a wrong size, and no topics for no claim', () => {
  expect(bloomCheck([V2_SWAP])(`0x${'00'.repeat(256)}`)).toBe('none')
  expect(bloomCheck([V2_SWAP])('0x')).toBe('none')
  expect(bloomCheck([])(BLOOM)).toBe('none')
})
