interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  pattern?: string
  description?: string
}

interface Operation {
  operationId: string
  summary: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema; description?: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

export interface Document {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

export function generateOperations({ paths = {}, components }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => operationOf(path, method, operation)),
  )
  const types = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)}\n`,
  )
  const streams = Object.entries(paths).flatMap(([path, { get }]) => (get === undefined ? [] : streamOf(path, get)))
  const text = [
    '// Generated from the OpenAPI document: `npx vitest run packages/client -u` writes it.\n',
    ...types,
    '/** The parameters and the result of each operation. */',
    `export interface Operations {\n${operations.map(({ type }) => type).join('')}}\n`,
    '/** The method and path of each operation. */',
    `export const OPERATIONS = {\n${operations.map(({ place }) => place).join('')}} as const\n`,
    '/** The parameters and the events of each stream. */',
    `export interface Streams {\n${streams.map(({ type }) => type).join('')}}\n`,
    '/** The path of each stream. */',
    `export const STREAMS = {\n${streams.map(({ place }) => place).join('')}} as const\n`,
  ].join('\n')
  return indented(text)
}

function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => {
    if (line.startsWith('/') || line === '') return line === '' ? line : '  '.repeat(depth) + line
    const code = line.replaceAll(/'[^']*'|"[^"]*"/g, '')
    const [opened, closed] = [code.split('{').length, code.split('}').length]
    if (code.startsWith('}')) depth += opened - closed
    const out = '  '.repeat(depth) + line
    if (!code.startsWith('}')) depth += opened - closed
    return out
  })
  return lines.join('\n')
}

function operationOf(path: string, method: string, operation: Operation): { type: string; place: string }[] {
  const result = operation.responses['200']?.content?.['application/json']?.schema
  if (result === undefined) return []
  const { operationId: id, requestBody } = operation
  // The client reads JSON.
  const parameters = (operation.parameters ?? []).filter(({ name }) => name !== 'format')
  const body = requestBody?.content['application/json']?.schema
  const taken = body === undefined ? takenBy(parameters) : typeOf(body)
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `'${name}'`)
  const isList = 'next' in (result.properties ?? {})
  return [
    {
      type: `/** ${operation.summary} */\n${id}: {\nparameters: ${taken}\nresult: ${typeOf(result)}\n}\n`,
      place: `${id}: { method: '${method.toUpperCase()}', path: '${path}', inPath: [${inPath}], isList: ${isList} },\n`,
    },
  ]
}

function streamOf(path: string, operation: Operation): { type: string; place: string }[] {
  const event = operation.responses['200']?.content?.['text/event-stream']?.schema
  if (event === undefined) return []
  const { operationId: id, parameters = [], summary } = operation
  const taken = takenBy(parameters.filter((parameter) => parameter.in === 'query'))
  return [
    {
      type: `/** ${summary} */\n${id}: {\nparameters: ${taken}\nevent: ${typeOf(event)}\n}\n`,
      place: `${id}: { path: '${path}' },\n`,
    },
  ]
}

function takenBy(parameters: NonNullable<Operation['parameters']>): string {
  const fields = parameters.map(({ name, required = false, schema, description }) => {
    const isNumber = schema.pattern !== undefined && !schema.enum && /^\^\[1-9\]\\d/.test(schema.pattern)
    const type = isNumber ? 'number | string' : typeOf(schema)
    return `${comment(schema.description ?? description)}${name}${required ? '' : '?'}: ${type}\n`
  })
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}}`
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? 'unknown'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  if (schema.type === 'array') return `${itemOf(schema.items ?? {})}[]`
  if (schema.type === 'object') return objectOf(schema)
  return (
    { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[schema.type ?? ''] ??
    'unknown'
  )
}

function itemOf(schema: Schema): string {
  const item = typeOf(schema)
  return item.includes(' ') ? `(${item})` : item
}

/** As a key, `5m` needs quotes. */
function quoted(name: string): string {
  return /^\d/.test(name) ? `'${name}'` : name
}

function objectOf({ properties, required = [] }: Schema): string {
  if (properties === undefined || Object.keys(properties).length === 0) return 'Record<string, unknown>'
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}\n`,
  )
  return `{\n${fields.join('')}}`
}

function comment(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`
}
