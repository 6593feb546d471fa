import type { OpenApiDocument } from '@dexfeed/contract'
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

/** `/openapi.json`, and `/docs`, which shows it without any script or style from elsewhere. */
export function docsRoutes(document: OpenApiDocument): Router {
  const html = swaggerUi.generateHTML(document, { customSiteTitle: 'dexfeed', swaggerOptions: { validatorUrl: null } })
  const [start, assets] = swaggerUi.serveFiles(document, { swaggerOptions: { validatorUrl: null } })
  const router = Router()
  router.get('/openapi.json', (_request: Request, response: Response) => {
    response.set('Cache-Control', 'public, max-age=300').json(document)
  })
  router.use('/docs', pagePolicy())
  router.get('/docs', (request: Request, response: Response) => {
    // The page names its parts relative to `/docs/`.
    response.type('html').send(request.path.endsWith('/') ? html : html.replaceAll('="./', '="./docs/'))
  })
  if (start !== undefined) router.get('/docs/swagger-ui-init.js', start)
  router.use('/docs', (request, response, next) => {
    if (assets === undefined || !ASSETS.has(request.path)) return next()
    return assets(request, response, next)
  })
  return router
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
