import { dateOfDay, NETWORK_NAMES, type NetworkName } from '@dexfeed/dex'
import { type ApiSettings, type Check, checkApiEnvironment } from '@dexfeed/service'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'

const FORMATS = ['parquet', 'csv'] as const
export type ExportFormat = (typeof FORMATS)[number]

const MAX_DAYS = 3_660

export interface ExportRequest {
  network: NetworkName
  /** Days since 1970 (UTC), both inclusive. */
  fromDay: number
  toDay: number
  format: ExportFormat
  out: string
}

export type ExportSettings = ApiSettings & { request: ExportRequest }

interface Given {
  network: NetworkName
  day?: number
  from?: number
  to?: number
  format: ExportFormat
  out: string
}

export function checkExport(args: readonly string[]): Check<ExportSettings> {
  return (environment, readFile) => {
    const request = readRequest(args)
    if (typeof request === 'string') return { problems: [`export: ${request}`] }
    const { settings, problems } = checkApiEnvironment(environment, readFile)
    if (settings === undefined) return { problems }
    // The output lists the files, so only warnings are logged.
    const logLevel = settings.logLevel === 'info' ? 'warn' : settings.logLevel
    return { settings: { ...settings, logLevel, request } }
  }
}

export function readRequest(args: readonly string[]): ExportRequest | string {
  const command = new Command('export')
    .addOption(new Option('--network <network>', 'network of the trades').choices(NETWORK_NAMES).makeOptionMandatory())
    .option('--day <day>', 'one day (UTC), such as 2026-11-22', dayNumber)
    .option('--from <day>', 'first of several days', dayNumber)
    .option('--to <day>', 'last of several days', dayNumber)
    .addOption(new Option('--format <format>', 'format of the files').choices(FORMATS).default('parquet'))
    .requiredOption('--out <folder>', 'folder for the files')
  let given: Given
  try {
    given = readOptions(command, args)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.message
  }
  const { network, day, from, to, format, out } = given
  const fromDay = from ?? day
  const toDay = to ?? day
  const isOneOfBoth = day === undefined ? from !== undefined && to !== undefined : (from ?? to) === undefined
  if (!isOneOfBoth || fromDay === undefined || toDay === undefined) return 'give --day, or --from and --to'
  if (fromDay > toDay) return `--from ${dateOfDay(fromDay)} is after --to ${dateOfDay(toDay)}`
  if (toDay - fromDay >= MAX_DAYS) return `more than ${MAX_DAYS} days`
  return { network, fromDay, toDay, format, out }
}

const DAY_MS = 86_400_000

export function dayNumber(text: string): number {
  const time = /^20\d\d-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  const day = time / DAY_MS
  if (Number.isNaN(day) || dateOfDay(day) !== text) throw new InvalidArgumentError('Not a day like 2026-11-22.')
  return day
}

/** @throws CommanderError */
export function readOptions<Given extends object>(command: Command, args: readonly string[]): Given {
  command
    .helpOption(false)
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
  return command.parse(args, { from: 'user' }).opts<Given>()
}
