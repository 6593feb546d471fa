import { expect, test, vi } from 'vitest'
import { tellBudget } from './tell-budget.ts'

test('a budget below what the head needs is told once, also that it is none any more', async () => {
  const shortfalls = ['5 of 8', '5 of 8', '4 of 8', null, null]
  const [stored, warned]: [unknown[], unknown[]] = [[], []]
  const ended = new AbortController()
  const clock = {
    sleep: async () => {
      if (shortfalls.length === 0) ended.abort()
    },
  }
  const log = { debug: vi.fn(), info: vi.fn(), warn: (values: object) => warned.push(values), error: vi.fn() }
  let failures = 1
  const store = {
    setBudgetShortfall: async (shortfall: string | null, epoch: number) => {
      if (failures-- > 0) throw new Error('the database is away')
      stored.push([shortfall, epoch])
    },
  }
  const chain = { budgetShortfall: () => shortfalls.shift() ?? null }
  await tellBudget({ chain, store, log, clock }, 7, ended.signal)
  expect(stored).toEqual([
    ['5 of 8', 7],
    ['4 of 8', 7],
    [null, 7],
  ])
  expect(warned).toEqual([{ shortfall: '5 of 8' }, { shortfall: '4 of 8' }])
})

test('a shortfall whose write seemed to fail is taken back when there is none any more', async () => {
  const shortfalls = [null, '5 of 8', null]
  let row: string | null = 'of another process'
  const ended = new AbortController()
  const clock = {
    sleep: async () => {
      if (shortfalls.length === 0) ended.abort()
    },
  }
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const store = {
    setBudgetShortfall: async (shortfall: string | null) => {
      row = shortfall
      if (shortfall !== null) throw new Error('the answer was lost')
    },
  }
  await tellBudget({ chain: { budgetShortfall: () => shortfalls.shift() ?? null }, store, log, clock }, 7, ended.signal)
  expect(row).toBeNull()
})
