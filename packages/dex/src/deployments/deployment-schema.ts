import { getAddress } from 'ethers'
import * as z from 'zod'
import type { Address } from '../chain.ts'
import type { DexKind, FeeCall } from '../pool.ts'
import { FEE_UNITS } from '../pool-state.ts'
import { FACTORY_ENTRY } from '../venues/protocol.ts'
import { protocolOf } from '../venues/registry.ts'
import { SETTLEMENT_KINDS } from './deployment.ts'

export const DEFAULT_FEE_BPS = 30
/** A fee of 100 % would leave nothing to trade. */
const MAX_FEE_BPS = 9_999
const DEFAULT_FINALITY_DEPTH = 64
/** Far deeper than any reorg; a larger number is a mistake, such as a block number. */
const MAX_FINALITY_DEPTH = 100_000
/** Far above any head; a larger number is a mistake, such as a time. */
const MAX_BLOCK = 1_000_000_000
/** With more decimals, a single whole token overflows a uint256. */
const MAX_DECIMALS = 77
const MAX_DEX_NAME = 64
const MAX_TOKEN_TEXT = 255
/** Excludes control, format (bidirectional marks), surrogate and unassigned characters, and line separators. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]+$/u

/** Parses to lower case. Accepts all lower or all upper case; mixed case must satisfy EIP-55. */
const address = z.string().transform((text, context): Address => {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return refuse(context, 'is not an address (0x and 40 hex digits)')
  try {
    return getAddress(text).toLowerCase() as Address
  } catch {
    return refuse(context, 'has a wrong checksum (EIP-55); write it in lower case if it is right otherwise')
  }
})

const tokenText = label(MAX_TOKEN_TEXT)

export const tokenSchema = z.object({
  address,
  symbol: tokenText,
  name: tokenText.optional(),
  decimals: z.int().min(0).max(MAX_DECIMALS),
  aliases: z.array(tokenText).optional(),
})

export const settlementSchema = z.object({ kind: z.enum(SETTLEMENT_KINDS), address })

export const networkSchema = z.object({
  wrappedNative: address,
  stablecoins: z.array(address).default([]),
  anchors: z.array(address).default([]),
  dexes: z.array(z.unknown()).default([]),
  settlements: z.array(settlementSchema).default([]),
  rateProviders: z.array(address).default([]),
  tokens: z.array(tokenSchema).default([]),
  finalityDepth: z.int().min(0).max(MAX_FINALITY_DEPTH).default(DEFAULT_FINALITY_DEPTH),
})

const feeCallSchema = z.strictObject({
  function: z.string().regex(/^[A-Za-z_$][\w$]{0,99}$/, 'must be the name of a function'),
  of: z.enum(['pair', 'factory']),
  denominator: z
    .int()
    .min(1)
    .refine((value) => Number(FEE_UNITS) % value === 0, 'must divide 1000000'),
})

/** An entry of `dexes`. The optional fields are those of `Dex`; all other fields are addresses. */
export type DexEntry = {
  name: string
  feeBps?: number | null
  feeCall?: FeeCall
  deploymentBlock?: number
  poolFactories?: Address[]
} & { [field: string]: unknown }

const FEES = {
  feeBps: z.int().min(0).max(MAX_FEE_BPS).nullable().optional(),
  feeCall: feeCallSchema.optional(),
}

export function dexSchema(kind: DexKind): z.ZodType<DexEntry> & { shape: z.ZodRawShape } {
  const { verifying, others = [], ...optional } = protocolOf(kind).entry ?? FACTORY_ENTRY
  return z.object({
    name: label(MAX_DEX_NAME),
    kind: z.literal(kind),
    ...(verifying ? { [verifying]: address } : {}),
    ...Object.fromEntries(others.map((field) => [field, address.optional()])),
    ...(optional.fee ? FEES : {}),
    ...(optional.poolFactories ? { poolFactories: z.array(address).optional() } : {}),
    ...(optional.deploymentBlock ? { deploymentBlock: z.int().min(0).max(MAX_BLOCK).optional() } : {}),
  }) as z.ZodType<DexEntry> & { shape: z.ZodRawShape }
}

function label(limit: number) {
  return z.string().refine((text) => PRINTABLE.test(text) && [...text].length <= limit && text.trim() === text, {
    message: `must be 1 to ${limit} printable characters without space around them`,
  })
}

function refuse(context: z.RefinementCtx<string>, message: string): never {
  context.addIssue({ code: 'custom', message, input: context.value })
  return z.NEVER
}
