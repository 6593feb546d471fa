import { expect, it } from 'vitest'
import { headNeed } from './head-need.ts'

const BSC = { blockTimeMs: 450, pollMs: 500, finalityMs: 6_000 }
const items = (requests: readonly object[]) => requests.length

it('the head of BNB Chain takes some six items a second by a socket, eight by polling', () => {
  expect(headNeed({ ...BSC, hasSocket: true }, items)).toBeCloseTo(5.8, 1)
  expect(headNeed({ ...BSC, hasSocket: false }, items)).toBeCloseTo(7.9, 1)
})

it('the head of Ethereum takes a fraction of that, and polling most of it', () => {
  const eth = { ...BSC, blockTimeMs: 10_000 }
  expect(headNeed({ ...eth, hasSocket: true }, items)).toBeCloseTo(0.7, 1)
  expect(headNeed({ ...eth, hasSocket: false }, items)).toBeCloseTo(2.8, 1)
})

it('it is reported in the unit of the budget', () => {
  const units = (requests: readonly { method: string }[]) => requests.length * 20
  expect(headNeed({ ...BSC, hasSocket: true }, units)).toBeCloseTo(115.5, 1)
})
