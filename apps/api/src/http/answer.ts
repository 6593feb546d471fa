import { hash } from 'node:crypto'
import type { Request, Response } from 'express'

/** A whole answer, made once for all who ask while it holds. */
export interface Answer {
  /** As text where it is ASCII: that goes out in one piece with the head, bytes do not. */
  body: string | Buffer
  etag: string
  /** Of the body in bytes. */
  length: number
  /** Beside those of every answer. */
  headers: Readonly<Record<string, string>>
}

/** An answer of JSON. */
export function jsonAnswer(value: unknown, headers: Readonly<Record<string, string>>): Answer {
  const text = JSON.stringify(value)
  const body = Buffer.byteLength(text) === text.length ? text : Buffer.from(text)
  return answerOf(body, { ...headers, 'Content-Type': 'application/json; charset=utf-8' })
}

/** @param body text only where it is ASCII */
export function answerOf(body: Answer['body'], headers: Answer['headers']): Answer {
  return { body, length: body.length, etag: `"${hash('sha1', body, 'base64url')}"`, headers }
}

/** Sends it, or 304 to whom has it; past Express, which would work out all of it again. */
export function sendAnswer(request: Request, response: Response, { body, length, etag, headers }: Answer): void {
  response.setHeader('ETag', etag)
  if (isKnown(request, etag)) {
    for (const name in headers) if (name !== 'Content-Type') response.setHeader(name, headers[name] as string)
    response.statusCode = 304
    response.end()
    return
  }
  for (const name in headers) response.setHeader(name, headers[name] as string)
  response.setHeader('Content-Length', length)
  if (request.method === 'HEAD') response.end()
  else if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}

/** Whether the client has what a tag stands for (RFC 9110 section 13.1.2: compared weakly). */
export function isKnown({ headers }: Request, etag: string): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch === undefined) return false
  return tagsOf(ifNoneMatch).some((tag) => tag === '*' || tag === etag || tag === `W/${etag}`)
}

/** The tags of a header. Split without an expression: between two commas there may be 32,000 spaces. */
export function tagsOf(list: string): string[] {
  return list.split(',').map((tag) => tag.trim())
}
