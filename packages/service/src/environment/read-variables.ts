import type * as z from 'zod'
import { type Environment, givenValue, isProblemOf, type ReadFile, withSecretFiles } from './secret-files.ts'

type Checked<T> = { settings: T; problems?: undefined } | { settings?: undefined; problems: readonly string[] }

export type Check<T> = (environment: Environment, readFile: ReadFile) => Checked<T>

export function read<T extends z.ZodRawShape>(
  object: z.ZodObject<T>,
  given: Environment,
  readFile: ReadFile,
): { values: Partial<z.output<z.ZodObject<T>>>; problems: string[] } {
  const names = Object.keys(object.shape)
  const secrets = withSecretFiles(given, readFile)
  const problems = secrets.problems.filter((line) => isProblemOf(names, line))
  const values: Record<string, unknown> = {}
  for (const name of names) {
    const result = (object.shape[name] as unknown as z.ZodType).safeParse(givenValue(secrets.environment, name))
    if (result.success) values[name] = result.data
    else problems.push(...result.error.issues.map((issue) => `${name}: ${issue.message}`))
  }
  return { values: values as Partial<z.output<z.ZodObject<T>>>, problems }
}

export function finish<V, T>(problems: readonly string[], values: Partial<V>, settings: (all: V) => T): Checked<T> {
  return problems.length > 0 ? { problems } : { settings: settings(values as V) }
}
