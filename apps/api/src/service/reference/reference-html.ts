import type { OpenApiDocument } from '@dexfeed/contract'
import { Marked } from 'marked'
import { escaped } from '../site-page.ts'

interface Schema {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  description?: string
  properties?: Readonly<Record<string, Schema>>
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  additionalProperties?: Schema | boolean
}

interface Parameter {
  name?: string
  required?: boolean
  description?: string
  schema?: Schema
  example?: unknown
  $ref?: string
}

interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  parameters?: readonly Parameter[]
  requestBody?: { content: Readonly<Record<string, { schema: Schema }>> }
  responses: Readonly<Record<string, { description: string; content?: Readonly<Record<string, { schema?: Schema }>> }>>
}

interface Document {
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: { schemas: Readonly<Record<string, Schema>>; parameters: Readonly<Record<string, Parameter>> }
}

const marked = new Marked({ renderer: { html: ({ text }) => escaped(text) } })

/** Returns the reference of all operations and shapes of the API, from its OpenAPI document. */
export function referenceArticle(openApi: OpenApiDocument): string {
  const document = openApi as unknown as Document
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    members: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
  const links = groups.map(({ name, members }) => {
    const entries = members.map(({ method, path, operation }) => {
      return `<a href="#${operation.operationId}"><small>${method}</small> ${escaped(path)}</a>`
    })
    return `<p>${escaped(name)}</p>${entries.join('')}`
  })
  const sections = groups.map(({ name, description, members }) => {
    const bodies = members.map(({ method, path, operation }) => operationHtml(document, method, path, operation))
    return `<h2>${escaped(name)}</h2><p>${inline(description)}</p>${bodies.join('')}`
  })
  const shapes = Object.entries(document.components.schemas).map(([name, schema]) => {
    return `<section><h3 id="shape-${name}">${name}</h3>${textOf(schema.description)}${fieldsHtml(schema)}</section>`
  })
  return `<article class="docs reference">
<div class="docs-side"><nav aria-label="Operations"><a href="/docs/guide">Guide</a>${links.join('')}<p>shapes</p><a href="#shapes">Shapes of responses</a></nav></div>
<div class="docs-text"><h1>API reference</h1>
<p>For programs: <a href="/openapi.json">/openapi.json</a>. How to use it: <a href="/docs/guide/api">the guide</a>. Amounts and prices are texts; unknown is null, never 0.</p>
${sections.join('')}
<h2 id="shapes">Shapes</h2>${shapes.join('')}</div>
</article>`
}

function operationHtml(document: Document, method: string, path: string, operation: Operation): string {
  const { operationId: id, summary, description, parameters = [], requestBody, responses } = operation
  const body = requestBody === undefined ? '' : `<h4>Body</h4>${schemasHtml(requestBody.content)}`
  const success = Object.entries(responses).find(([status]) => status.startsWith('2') || status === '101')
  const failures = Object.entries(responses).filter(([status]) => !status.startsWith('2'))
  const errors = failures.map(([status, failure]) => `<li><code>${status}</code> ${inline(failure.description)}</li>`)
  return `<section><h3 id="${id}"><code>${method} ${escaped(path)}</code></h3><p>${inline(summary)}</p>${textOf(description)}${parametersHtml(
    parameters.map((parameter) => resolved(document, parameter)),
  )}${body}<h4>Response</h4>${schemasHtml(success?.[1].content ?? {})}<details><summary>Errors</summary><ul>${errors.join('')}</ul></details></section>`
}

function resolved(document: Document, parameter: Parameter): Parameter {
  const name = parameter.$ref?.split('/').at(-1)
  return name === undefined ? parameter : (document.components.parameters[name] ?? parameter)
}

function parametersHtml(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name = '', required, description, schema }) => {
    const need = required === true ? ' <small>required</small>' : ''
    return `<tr><td><code>${escaped(name)}</code>${need}</td><td>${typeOf(schema ?? {})}</td><td>${inline(description ?? '')}</td></tr>`
  })
  return tableOf('Parameter', rows)
}

function schemasHtml(content: Readonly<Record<string, { schema?: Schema }>>): string {
  const types = Object.entries(content)
  if (types.length === 0) return '<p>No body.</p>'
  return types
    .map(([type, { schema = {} }]) => `<p><code>${escaped(type)}</code>: ${typeOf(schema)}</p>${fieldsHtml(schema)}`)
    .join('')
}

function fieldsHtml(schema: Schema): string {
  const fields = Object.entries(fieldsOf(schema))
  if (fields.length === 0) return schema.properties === undefined ? '' : '<p>No fields.</p>'
  const rows = fields.map(([name, field]) => {
    return `<tr><td><code>${escaped(name)}</code></td><td>${typeOf(field)}</td><td>${inline(field.description ?? '')}</td></tr>`
  })
  return tableOf('Field', rows)
}

/** Returns fields, those of nested shapes without a name of their own after a dot. */
function fieldsOf({ properties = {} }: Schema): Record<string, Schema> {
  const fields: Record<string, Schema> = {}
  for (const [name, field] of Object.entries(properties)) {
    fields[name] = field
    const inner = field.properties === undefined ? (field.items ?? {}) : field
    for (const [below, nested] of Object.entries(fieldsOf(inner))) fields[`${name}.${below}`] = nested
  }
  return fields
}

function tableOf(head: string, rows: readonly string[]): string {
  return `<div class="table-scroll" tabindex="0"><table><thead><tr><th scope="col">${head}</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}

/** Describes a type in a few words; a shape with a name is a link to it. */
function typeOf({ $ref, type, enum: values, const: value, items, anyOf, oneOf }: Schema): string {
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    return `<a href="#shape-${name}">${name}</a>`
  }
  const union = anyOf ?? oneOf
  if (union !== undefined) return union.map(typeOf).join(' or ')
  if (value !== undefined) return `<code>${escaped(JSON.stringify(value))}</code>`
  if (values !== undefined) return values.map((each) => `<code>${escaped(String(each))}</code>`).join(', ')
  if (items !== undefined) return `list of ${typeOf(items)}`
  return escaped(typeof type === 'string' ? type : (type?.join(' or ') ?? 'any'))
}

function textOf(description: string | undefined): string {
  return description === undefined ? '' : `<p>${inline(description)}</p>`
}

function inline(text: string): string {
  return marked.parseInline(text, { async: false })
}
