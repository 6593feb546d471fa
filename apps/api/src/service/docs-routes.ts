import { setImmediate as turn } from 'node:timers/promises'
import { type OpenApiDocument, openApiSteps } from '@dexfeed/contract'
import { type Request, type RequestHandler, type Response, Router } from 'express'
import helmet from 'helmet'
import swaggerUi from 'swagger-ui-express'

const ASSETS = new Set([
  '/swagger-ui.css',
  '/swagger-ui-bundle.js',
  '/swagger-ui-standalone-preset.js',
  '/favicon-16x16.png',
  '/favicon-32x32.png',
])

interface Documentation {
  document: OpenApiDocument
  html: string
  /** The page's first script; then all files beside it. */
  handlers: readonly RequestHandler[]
}

/** `/openapi.json`, and `/docs`, which shows it without any script or style from elsewhere. */
export function docsRoutes(version: string): Router {
  let made: Promise<Documentation> | null = null
  // It takes a while, and few ask for it.
  const documentation = () => {
    made ??= documentationOf(version)
    return made
  }
  const router = Router()
  router.get('/openapi.json', async (_request: Request, response: Response) => {
    response.set('Cache-Control', 'public, max-age=300').json((await documentation()).document)
  })
  router.use('/docs', pagePolicy())
  router.get('/docs', async (request: Request, response: Response) => {
    const { html } = await documentation()
    // The page names its parts relative to `/docs/`.
    response.type('html').send(request.path.endsWith('/') ? html : html.replaceAll('="./', '="./docs/'))
  })
  router.get('/docs/swagger-ui-init.js', async (request, response, next) => {
    const [start] = (await documentation()).handlers
    await start?.(request, response, next)
  })
  router.use('/docs', async (request, response, next) => {
    if (!ASSETS.has(request.path)) return next()
    const [, assets] = (await documentation()).handlers
    await assets?.(request, response, next)
  })
  return router
}

/** Made route by route, so that requests go on meanwhile. */
async function documentationOf(version: string): Promise<Documentation> {
  const steps = openApiSteps(version)
  let step = steps.next()
  for (; !step.done; step = steps.next()) await turn()
  const document = step.value
  const html = swaggerUi.generateHTML(document, { customSiteTitle: 'dexfeed', swaggerOptions: { validatorUrl: null } })
  return { document, html, handlers: swaggerUi.serveFiles(document, { swaggerOptions: { validatorUrl: null } }) }
}

/** Own scripts only, none of them in the page itself; the page's styles are in it. */
function pagePolicy(): RequestHandler {
  return helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  })
}
