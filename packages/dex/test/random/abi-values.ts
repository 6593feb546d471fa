import type { ParamType } from 'ethers'
import fc from 'fast-check'

/** 0x writes these bytes before an ERC-20 token's address in its asset data. */
export const ERC20_ASSET = `0xf47261b0${'0'.repeat(24)}`

type Value = bigint | string | boolean | readonly Value[]

export function valuesOf({ baseType, components, arrayChildren, arrayLength }: ParamType): fc.Arbitrary<Value> {
  if (arrayChildren !== null) {
    const lengths = arrayLength === -1 ? { maxLength: 5 } : { minLength: arrayLength ?? 0, maxLength: arrayLength ?? 0 }
    return fc.array(valuesOf(arrayChildren), lengths)
  }
  if (components !== null) return fc.tuple(...components.map(valuesOf))
  if (baseType === 'bytes') return assets()
  if (baseType === 'string') return fc.string({ maxLength: 70 })
  const [, sign, size = ''] = /^(u?)int(\d+)$/.exec(baseType) ?? []
  if (baseType === 'bool') return fc.boolean()
  if (sign === undefined) return bytes(baseType === 'address' ? 20 : Number(baseType.slice('bytes'.length)))
  const half = 2n ** BigInt(Number(size) - 1)
  const [min, max] = sign === 'u' ? [0n, 2n * half - 1n] : [-half, half - 1n]
  return fc.oneof(fc.bigInt({ min, max }), fc.bigInt({ min: 0n, max: 40n }))
}

/** Draws byte strings, including 0x's asset data of tokens. */
function assets(): fc.Arbitrary<string> {
  const any = fc.uint8Array({ maxLength: 70 }).map((value) => `0x${Buffer.from(value).toString('hex')}`)
  return fc.oneof(any, { weight: 5, arbitrary: bytes(20).map((token) => `${ERC20_ASSET}${token.slice(2)}`) })
}

function bytes(count: number): fc.Arbitrary<string> {
  return fc.uint8Array({ minLength: count, maxLength: count }).map((value) => `0x${Buffer.from(value).toString('hex')}`)
}
