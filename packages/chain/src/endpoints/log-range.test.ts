import { expect, it } from 'vitest'
import { LogRange } from './log-range.ts'

const range = (blocks: number) => ({ from: 100, to: 100 + blocks - 1 })
const MIB = 1024 * 1024

it('doubles while responses are small, and aims at a megabyte', () => {
  const sizes = new LogRange(100)
  sizes.served(100, 1000)
  expect(sizes.blocks).toBe(200)
  sizes.served(200, MIB / 2)
  expect(sizes.blocks).toBe(400)
  sizes.served(400, 2 * MIB)
  expect(sizes.blocks).toBe(200)
})

it('grows by a few percent after a refusal', () => {
  const sizes = new LogRange(1000)
  sizes.refused(range(1000), { kind: 'range', to: 100 + 499, maxBlocks: null, sure: true })
  expect(sizes.blocks).toBe(500)
  sizes.served(500, 1000)
  expect(sizes.blocks).toBe(525)
})

it('never goes over a stated limit again', () => {
  const sizes = new LogRange(1000)
  sizes.refused(range(1000), { kind: 'range', to: 100 + 49, maxBlocks: 50, sure: true })
  for (let i = 0; i < 100; i++) sizes.served(sizes.blocks, 10)
  expect(sizes.blocks).toBe(50)
})

it('soon returns to its size after an error that was not about size', () => {
  const sizes = new LogRange(1024)
  for (const blocks of [1024, 512, 256]) {
    sizes.refused(range(blocks), { kind: 'range', to: 100 + blocks / 2 - 1, maxBlocks: null, sure: false })
  }
  expect(sizes.blocks).toBe(128)
  sizes.served(128, 10)
  sizes.served(256, 10)
  expect(sizes.blocks).toBe(512)
})

it('halves on a timeout, stays at one block at least, and ignores what is not about size', () => {
  const sizes = new LogRange(3)
  sizes.refused(range(3), { kind: 'timeout', to: 100 })
  expect(sizes.blocks).toBe(1)
  sizes.refused(range(1), { kind: 'range', to: null, maxBlocks: null, sure: true })
  expect(sizes.blocks).toBe(1)
  sizes.refused(range(1), { kind: 'other' })
  sizes.served(1, 0)
  expect(sizes.blocks).toBeGreaterThan(1)
})

it('does not grow after a request smaller than its size', () => {
  const sizes = new LogRange(100)
  sizes.served(10, 10)
  expect(sizes.blocks).toBe(100)
  sizes.served(10, 80 * MIB)
  expect(sizes.blocks).toBe(1)
})
