import type { NetworkName } from '@dexfeed/dex'
import { type Check, checkIndexerEnvironment, type IndexerSettings, type NetworkSettings } from '@dexfeed/service'
import { quietLevel } from './command-line.ts'

export interface OneNetworkSettings extends IndexerSettings {
  network: NetworkSettings
}

/** The indexer's environment, for a command that deals with one of its networks. */
export function checkOneNetwork(command: string, name: NetworkName): Check<OneNetworkSettings> {
  return (environment, readFile) => {
    const { settings, problems } = checkIndexerEnvironment(environment, readFile)
    if (settings === undefined) return { problems }
    const network = settings.networks.find((one) => one.network === name)
    if (network === undefined) return { problems: [`${command}: ${name} is not among the networks to index`] }
    return { settings: { ...settings, logLevel: quietLevel(settings.logLevel), network } }
  }
}
