import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DEX_KINDS, protocolOf } from './registry.ts'

/** The cells of the first table of docs/internals/protocols.md, a row each. */
const rows = readFileSync(new URL('../../../../docs/internals/protocols.md', import.meta.url), 'utf8')
  .split('\n\n')
  .find((part) => part.startsWith('| protocol (kind)'))
  ?.split('\n')
  .slice(2)
  .map((row) => row.split(' | '))

test.each(DEX_KINDS)(
  'docs/internals/protocols.md says of %s whether it is quoted, and by what its pools prove themselves',
  (kind) => {
    const [first, ...others] = (rows ?? []).filter(([name = '']) => name.includes(`\`${kind}\``))
    expect(first).toBeDefined()
    const isQuoted = protocolOf(kind).state !== null
    for (const [, , quoted = '', proof = ''] of [first ?? [], ...others]) {
      expect(/yes|as /.test(quoted)).toBe(isQuoted)
      expect(proof).not.toBe('')
    }
  },
)
