import type { VNode } from 'preact'
import { expect, test } from 'vitest'
import { Sparkline } from './sparkline.tsx'

function pointsOf(prices: readonly string[]): string {
  const drawn = Sparkline({ prices, change: null }) as VNode<{ children: VNode<{ points: string }> }>
  return drawn.props.children.props.points
}

test('prices are drawn from left to right, and equal ones in the middle, even if they are 0', () => {
  expect(pointsOf(['1', '3', '2'])).toBe('0.0,26.0 50.0,2.0 100.0,14.0')
  expect(pointsOf(['0', '0'])).toBe('0.0,14.0 100.0,14.0')
})
