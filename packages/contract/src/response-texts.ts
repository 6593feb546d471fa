import { z } from 'zod'

// Numbers in responses are text, so that no digit is lost.

export const integerText = () => z.string().regex(/^(0|[1-9]\d*)$/)
export const decimalText = () => z.string().regex(/^(0|[1-9]\d*)(\.\d+)?$/)
export const usdText = () => z.string().regex(/^(0|[1-9]\d*)\.\d{8}$/)

/** Empty for a network's native coin. */
export const addressText = () => z.string().regex(/^(0x[0-9a-fA-F]{40})?$/)
export const transactionHash = () => z.string().regex(/^0x[0-9a-f]{64}$/)

export const poolText = () =>
  z
    .string()
    .regex(/^0x([0-9a-f]{40}|[0-9a-f]{80}|[0-9a-f]{104})$/)
    .meta({
      description:
        "The pool's contract; or the contract of its vault or manager, followed by the pool's address or id there",
    })

export const orNull = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.nullable().meta({ description })
