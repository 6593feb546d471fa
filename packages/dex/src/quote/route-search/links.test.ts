import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { LinkIndex } from './links.ts'

test('links are found both ways, and gone when they are deleted, whatever came before', () => {
  const change = fc.tuple(fc.boolean(), fc.nat({ max: 40 }), fc.nat({ max: 40 }), fc.nat({ max: 999 }))
  fc.assert(
    fc.property(fc.array(change, { minLength: 300, maxLength: 900 }), (changes) => {
      const index = new LinkIndex()
      const known = new Map<string, number>()
      for (const [adds, a, b, half] of changes) {
        if (a === b) continue
        const key = `${Math.min(a, b)} ${Math.max(a, b)}`
        const link = 2 * half
        if (!adds) {
          index.delete(a, b)
          known.delete(key)
        } else if (!known.has(key)) {
          index.add(a, b, link)
          known.set(key, a < b ? link : link ^ 1)
        }
      }
      for (let a = 0; a <= 40; a++) {
        for (let b = a + 1; b <= 40; b++) {
          const link = known.get(`${a} ${b}`)
          expect(index.get(a, b)).toBe(link)
          expect(index.get(b, a)).toBe(link === undefined ? undefined : link ^ 1)
        }
      }
    }),
    { numRuns: 12 * inject('scale') },
  )
})
