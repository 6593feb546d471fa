import { z } from 'zod'
import { NETWORK_VALUES, type NetworkValue } from './network-parameter.ts'

export interface SwapCursor {
  blockNumber: number
  network: NetworkValue
  transactionIndex: number
  position: number
}

const FORM = new RegExp(`^(\\d{1,15})-(${NETWORK_VALUES.join('|')})-(\\d{1,9})-(\\d{1,9})$`)

export function writeSwapCursor(cursor: SwapCursor): string {
  return `${cursor.blockNumber}-${cursor.network}-${cursor.transactionIndex}-${cursor.position}`
}

export const cursorParameter = z
  .string({ error: 'cursor must be given once' })
  .transform((text, context): SwapCursor => {
    const [, blockNumber, network, transactionIndex, position] = FORM.exec(text) ?? []
    if (network === undefined) {
      context.addIssue({ code: 'custom', message: 'cursor must come from the next link of a page', input: text })
      return z.NEVER
    }
    return {
      blockNumber: Number(blockNumber),
      network: network as NetworkValue,
      transactionIndex: Number(transactionIndex),
      position: Number(position),
    }
  })
  .meta({ maxLength: 64, description: 'Continues after a page. Take it from the `next` link in the header `Link`.' })
