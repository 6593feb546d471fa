import { DEFAULT_NETWORK, NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { z } from 'zod'

export const NETWORK_VALUES: readonly NetworkName[] = [
  DEFAULT_NETWORK,
  ...NETWORK_NAMES.filter((network) => network !== DEFAULT_NETWORK),
]
export type NetworkValue = NetworkName

const MESSAGE = `network must be given once, as one of ${NETWORK_VALUES.join(', ')}`

export const networkParameter = z
  .string({ error: MESSAGE })
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(NETWORK_VALUES, { error: MESSAGE }))
  .meta({ enum: [...NETWORK_VALUES], description: 'The blockchain network, in any case.' })
