import type { Address, Hex } from '@dexfeed/dex'

export const TOPICS = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  approval: '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
  deposit: '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  withdrawal: '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
  sync: '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1',
  swapV2: '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
  mintV2: '0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f',
  burnV2: '0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496',
  pairCreated: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
  swapV3: '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
  swapPancakeV3: '0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83',
  mintV3: '0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde',
  burnV3: '0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c',
  initialize: '0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95',
  poolCreated: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
} as const satisfies Record<string, Hex>

/** Returns 32 bytes of ABI data as hex digits without 0x. Negative numbers are in two's complement. */
export function word(value: bigint | number | Hex): string {
  if (typeof value === 'string') return value.slice(2).padStart(64, '0')
  const whole = BigInt(value)
  return (whole < 0n ? BigInt.asUintN(256, whole) : whole).toString(16).padStart(64, '0')
}

export function dataOf(...values: readonly (bigint | number | Hex)[]): Hex {
  return `0x${values.map(word).join('')}`
}

export function topicOf(value: bigint | number | Hex): Hex {
  return `0x${word(value)}`
}

export function textResult(text: string): Hex {
  const bytes = Buffer.from(text)
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * 64, '0')
  return `0x${word(32)}${word(bytes.length)}${padded}`
}

export function quantity(number: bigint | number): Hex {
  return `0x${number.toString(16)}`
}

export function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** A log before its block is known. */
export interface DraftLog {
  address: Address
  topics: readonly Hex[]
  data: Hex
}
