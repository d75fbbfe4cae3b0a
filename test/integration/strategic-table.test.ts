import { expect } from 'chai'
import { parse } from 'yaml'
import { EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, isObject, type JsonObject, listOr } from '../../common/json/json.ts'
import { Page } from './document.ts'
import { aSource, forkOf, usesProduct } from './product.ts'

const GUIDE = new Page('guide.md')
const POD: JsonObject = parse(GUIDE.blocks('yaml').find((block) => block.startsWith('containers:')) ?? '')
const ROWS = [...GUIDE.text.matchAll(/^\| `(\{.+?\})` \| (.+?) \| (.+?) \| .+ \|$/gm)].map(
  ([, override = '', here = '', patched = ''], index) => ({ name: `row-${index}`, override, here, patched }),
)

/** What a row of the table says of a workload: the items of the list that the override names. */
function shown(workload: KubeObject, override: JsonObject): string {
  const pod = at(workload, 'spec', 'template', 'spec')
  const items = (...path: readonly (string | number)[]) =>
    listOr(path.reduce((value, key) => Object(value)[key], pod as unknown)).filter(isObject)
  const text = (values: readonly unknown[]) => (values.length === 0 ? 'none' : values.join(', '))
  if (override.topologySpreadConstraints)
    return text(items('topologySpreadConstraints').map(({ whenUnsatisfiable }) => whenUnsatisfiable))
  if (override.volumes)
    return text(items('volumes').flatMap((volume) => Object.keys(volume).filter((key) => key !== 'name')))
  const [cart] = listOr(override.containers)
  if (at(cart, 'ports'))
    return text(
      items('containers', 0, 'ports').map(
        ({ name, containerPort, protocol }) => `${name} ${containerPort}/${protocol}`,
      ),
    )
  return text(
    items('containers', 0, 'env').map(
      ({ name, valueFrom }) => `${name}${at(valueFrom, 'fieldRef') ? ' from a field' : ''}`,
    ),
  )
}

describe('D5: the table of differences between Strategic and kubectl patch', () => {
  const place = usesProduct()
  before('the source of the page', () => aSource(place(), 'cart', { replicas: 0, pod: POD }))

  it('has rows', () => expect(ROWS.length).to.be.greaterThan(5))

  for (const { name, override, here, patched } of ROWS) {
    const spec: JsonObject = { template: { spec: parse(override) } }

    it(`is right about the fork of ${override}`, async () => {
      const experiment = {
        apiVersion: EXPERIMENT_DEPLOYMENT.apiVersion,
        kind: EXPERIMENT_DEPLOYMENT.kind,
        metadata: { name },
        spec: { sourceRef: { kind: 'Deployment', name: 'cart' }, overrideType: 'Strategic', overrideSpec: spec },
      }
      const { code, text } = await place().kubectl(['apply', '-f', '-'], JSON.stringify(experiment))
      expect(code, text).to.equal(here === 'refused' ? 1 : 0)
      if (here === 'refused') return
      const found = await place().shows(name, 'a fork', ({ status }) => !!status?.experimentResourceRef)
      expect(shown(await place().deployment(forkOf(found)), parse(override))).to.equal(here)
    })

    it(`is right about kubectl patch with ${override}`, async () => {
      const args = ['patch', 'deployment/cart', '--type=strategic', '--dry-run=server', '--output=json']
      const { code, text } = await place().kubectl([...args, '--patch', JSON.stringify({ spec })])
      expect(code, text).to.equal(patched === 'refused' ? 1 : 0)
      if (patched === 'refused') return
      expect(shown(JSON.parse(/^\{[\s\S]*/m.exec(text)?.[0] ?? ''), parse(override))).to.equal(patched)
    })
  }
})
