import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type HistoryVariable, historyVariables } from './secret-files.ts'
import type { ArchiveSettings } from './settings.ts'
import * as schema from './variable-schemas.ts'

/** The schemas of the variables. */
export const ARCHIVES = Object.fromEntries(
  NETWORK_NAMES.flatMap((network) => {
    const [url, key] = historyVariables(network)
    return [
      [url, schema.urlOf(['https:', 'http:'])],
      [key, schema.anyText],
    ]
  }),
) as Record<HistoryVariable, typeof schema.anyText>

type HistoryValues = { [Name in HistoryVariable]?: string | undefined }

/** The archive of a network; undefined where there is none. */
export function archiveOf(values: HistoryValues, network: NetworkName): ArchiveSettings | undefined {
  const [url, key] = historyVariables(network)
  const given = values[url]
  return given === undefined ? undefined : { url: given, key: values[key] ?? null }
}

/** Lines about keys without an archive. */
export function keyWarnings(values: HistoryValues): string[] {
  return NETWORK_NAMES.flatMap((network) => {
    const [url, key] = historyVariables(network)
    return values[key] !== undefined && values[url] === undefined ? [`${key}: is not used without ${url}`] : []
  })
}
