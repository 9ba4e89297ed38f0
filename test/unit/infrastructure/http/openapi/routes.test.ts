// Routes: which path of the document a request's path is one of.
import { assert } from 'chai'
import { loadDocument } from '../../../../../src/infrastructure/http/openapi/document.ts'
import { routesOf } from '../../../../../src/infrastructure/http/openapi/routes.ts'

describe('routes', () => {
  const documented = loadDocument()

  it('lead to every path of the contract, with the values in it decoded', () => {
    const find = routesOf(documented)
    for (const { template } of documented.paths) {
      const route = find(template.replace(/\{\w+\}/g, 'a%20b'), 'GET')
      assert.strictEqual(route?.template, template)
      const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(route?.params, Object.fromEntries(names.map((name) => [name, 'a b'])))
    }
  })

  it('lead nowhere from other paths', () => {
    const find = routesOf(documented)
    const paths = [
      '/v1',
      '/v1/',
      '/v1/companies/',
      '/v1/companies/A/B',
      '/v2/companies/A',
      '//',
      '/v1//A',
      '/'.repeat(9_000),
    ]
    for (const path of paths) assert.isNull(find(path, 'GET'), path.slice(0, 40))
  })

  it('lead to the first of several paths that match, and to one without parameters before all', () => {
    const operations = new Map()
    const paths = ['/a/{b}/c', '/a/x/{c}', '/{a}/x/c', '/a/{b}', '/a/plain', '/prefix-{p}/c'].map((template) => ({
      template,
      operations,
    }))
    const find = routesOf({ json: {}, paths })
    const templates = ['/a/x/c', '/a/x/d', '/b/x/c', '/a/other', '/a/plain', '/prefix-1/c'].map(
      (path) => find(path, 'GET')?.template,
    )
    assert.deepEqual(templates, ['/a/{b}/c', '/a/x/{c}', '/{a}/x/c', '/a/{b}', '/a/plain', '/prefix-{p}/c'])
  })
})
