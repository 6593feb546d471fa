import { z } from 'zod'

// Numbers of responses are text, so that every digit arrives.

export const integerText = () => z.string().regex(/^(0|[1-9]\d*)$/)
export const decimalText = () => z.string().regex(/^(0|[1-9]\d*)(\.\d+)?$/)
export const usdText = () => z.string().regex(/^(0|[1-9]\d*)\.\d{8}$/)

/** Empty for the coin of a network. */
export const addressText = () => z.string().regex(/^(0x[0-9a-fA-F]{40})?$/)
export const transactionHash = () => z.string().regex(/^0x[0-9a-f]{64}$/)

/** What a pool is known by. */
export const poolText = () =>
  z
    .string()
    .regex(/^0x([0-9a-f]{40}|[0-9a-f]{80}|[0-9a-f]{104})$/)
    .meta({ description: "The pool's contract, or its vault or manager and its own address or id there" })
