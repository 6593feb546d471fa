import type { OpenApiDocument } from '@dexfeed/contract'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'

/** Default `limit` of a list. Small, because a model reads every row. */
const DEFAULT_ROWS = 20
const ROWS = { type: 'integer', description: 'Maximum number of rows, up to 1000', default: DEFAULT_ROWS }

export interface ApiTool extends Tool {
  defaults: Readonly<Record<string, unknown>>
  headers: readonly string[]
}

type Schema = Readonly<Record<string, unknown>>

interface Operation {
  operationId: string
  summary: string
  description?: string
  parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Readonly<Record<string, { schema: Schema }>> }
  responses: Readonly<
    Record<string, { headers?: Schema; content?: Readonly<Record<string, { schema: Schema } | undefined>> }>
  >
}

const REFERENCE = '#/components/schemas/'

/**
 * Returns a tool for each operation under `/api` and `/v1` that responds with JSON. An agent reads the whole list before
 * its first call, so tools say only what a model needs to call them: the API itself checks forms, and describes its
 * responses in its OpenAPI document.
 */
export function apiTools(document: OpenApiDocument): ApiTool[] {
  const paths = (document.paths ?? {}) as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>
  return Object.entries(paths)
    .filter(([path]) => /^\/(api|v1)\//.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => toolOf(method, path, operation, schemas) ?? []),
    )
}

function toolOf(
  method: string,
  path: string,
  operation: Operation,
  schemas: Readonly<Record<string, Schema>>,
): ApiTool | null {
  const { operationId: name, summary, description, responses } = operation
  const success = responses[200]
  const body = success?.content?.['application/json']?.schema
  if (body === undefined) return null
  const hasRows = operation.parameters?.some((parameter) => parameter.name === 'limit') ?? false
  const rest = description === undefined ? '' : ` ${description}`
  return {
    name,
    description: `${summary}.${rest} (${method.toUpperCase()} ${path})`,
    inputSchema: complete(inputOf(operation, schemas), schemas) as Tool['inputSchema'],
    annotations: { readOnlyHint: true, openWorldHint: false },
    defaults: hasRows ? { limit: DEFAULT_ROWS } : {},
    headers: Object.keys(success?.headers ?? {}).map((header) => header.toLowerCase()),
  }
}

function inputOf({ requestBody, parameters = [] }: Operation, schemas: Readonly<Record<string, Schema>>): Schema {
  const body = requestBody?.content['application/json']?.schema
  if (body !== undefined) return schemas[nameOf(body.$ref)] ?? body
  // A tool returns JSON.
  const own = parameters.filter(
    (parameter) => (parameter.in === 'query' && parameter.name !== 'format') || parameter.in === 'path',
  )
  const properties = Object.fromEntries(
    own.map(({ name, schema }) => [name, name === 'limit' ? ROWS : briefly(name, schema)]),
  )
  const required = own.filter((parameter) => parameter.required === true).map(({ name }) => name)
  return { type: 'object', properties, required, additionalProperties: false }
}

/** What the instructions of the server say once for all tools: parameters, and ends of descriptions. */
const EXPLAINED = new Set(['network', 'cursor'])
const SAID_ONCE = / If a symbol is not supported, .*$|: an ISO 8601 time with Z or an offset, .*$/

/** Leaves out what the API checks and reports by itself, and what the instructions say. */
function briefly(name: string, schema: Schema): Schema {
  const { pattern: _, minLength: __, maxLength: ___, example: ____, description, ...rest } = schema
  if (typeof description !== 'string' || EXPLAINED.has(name)) return rest
  return { ...rest, description: description.replace(SAID_ONCE, '') }
}

function complete(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const named = new Map<string, Schema>()
  const collect = (part: Schema) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      const found = schemas[name]
      if (found === undefined || named.has(name)) continue
      named.set(name, found)
      collect(found)
    }
  }
  collect(schema)
  const whole = named.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(named) }
  return JSON.parse(JSON.stringify(whole).replaceAll(`"${REFERENCE}`, '"#/$defs/')) as Schema
}

function nameOf(reference: unknown): string {
  return String(reference).replace(REFERENCE, '')
}
