import { z } from 'zod'
import { NETWORK_VALUES } from '../network-parameter.ts'
import { addressText, integerText } from '../response-texts.ts'

/** What is known of a token's contract. */
export const token = z
  .strictObject({
    network: z.enum(NETWORK_VALUES),
    address: addressText(),
    symbol: z.string().nullable().meta({ description: "As the contract says, or the curated list; anybody's text" }),
    name: z.string().nullable(),
    decimals: integerText().nullable().meta({ description: 'Null: the contract does not tell a usable value' }),
    listed: z.boolean().meta({ description: 'On the curated list: its symbol may be trusted' }),
  })
  .meta({ id: 'Token' })

/** Place in a list by network and address. */
export const catalogPlace = z.tuple([
  z.enum(NETWORK_VALUES),
  z.string().regex(/^0x([0-9a-f]{2}){20,64}$/),
  z.enum(['before', 'after']),
])
