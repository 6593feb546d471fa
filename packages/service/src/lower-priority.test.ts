import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, it } from 'vitest'
import { lowerPriority } from './lower-priority.ts'

it.runIf(process.platform === 'linux')('lowers the priority of every thread of the process', () => {
  const threads = () => readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)))
  const before = Math.max(...threads())
  expect(threads().length).toBeGreaterThan(1)
  lowerPriority(before + 1)
  expect(new Set(threads())).toEqual(new Set([before + 1]))
})
