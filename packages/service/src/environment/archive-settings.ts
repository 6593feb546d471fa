import { NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type HistoryVariable, historyVariables } from './secret-files.ts'
import type { ArchiveSettings } from './settings.ts'

type HistoryValues = { [Name in HistoryVariable]?: string | undefined }

export function archiveOf(values: HistoryValues, network: NetworkName): ArchiveSettings | undefined {
  const [url, key] = historyVariables(network)
  const given = values[url]
  return given === undefined ? undefined : { url: given, key: values[key] ?? null }
}

export function keyWarnings(values: HistoryValues): string[] {
  return NETWORK_NAMES.flatMap((network) => {
    const [url, key] = historyVariables(network)
    return values[key] !== undefined && values[url] === undefined ? [`${key}: is not used without ${url}`] : []
  })
}
