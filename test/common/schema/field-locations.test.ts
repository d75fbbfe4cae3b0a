import { expect } from 'chai'
import type { Path } from '../../../common/json/field-path.ts'
import { fieldLocations } from '../../../common/schema/field-locations.ts'
import { transform } from '../../../common/schema/transform.ts'

const text = { type: 'string' }
const object = (properties: object) => ({ type: 'object', properties })
const list = (items: object) => ({ type: 'array', items })
const amounts = { type: 'object', additionalProperties: text }
const resources = object({ limits: amounts, requests: amounts })
const securityContext = object({ runAsUser: text, capabilities: object({ drop: text }) })
const probe = object({ httpGet: object({ path: text }), tcpSocket: text })
const container = object({
  image: text,
  name: text,
  resources,
  securityContext,
  livenessProbe: probe,
  readinessProbe: probe,
})
const ROOT = object({
  claims: list(object({ metadata: object({ name: text }) })),
  paused: text,
  selector: object({ matchLabels: text }),
  template: object({
    metadata: object({ labels: text }),
    spec: object({
      containers: list(container),
      initContainers: list(container),
      hostNetwork: text,
      resources,
      securityContext: object({ runAsUser: text }),
      volumes: list(
        object({ name: text, image: text, disk: object({ partition: text }), file: object({ partition: text }) }),
      ),
    }),
  }),
})

const locations = (refused: string = '-') =>
  fieldLocations(transform({}, ROOT), (path) => (path.join('.') === refused ? 'banned' : undefined))

const POD: Path = ['template', 'spec']
const CART: Path = [...POD, 'containers', 0]
const C = 'template.spec.containers[]'

const cases: Record<string, readonly [key: string, parent: Path, ...places: string[]]> = {
  'a field of the root': ['paused', POD, ''],
  'the nearest place above': ['image', [...CART, 'resources'], C],
  'the place below, with [] for the items of a list': ['image', [], C],
  'a place far below, if it is of a container': ['drop', [], `${C}.securityContext.capabilities`],
  'each of a few places that are equally near': ['httpGet', CART, `${C}.livenessProbe`, `${C}.readinessProbe`],
  'the place of a pod and that of a container': ['limits', POD, `${C}.resources`, 'template.spec.resources'],
  'what limits may name': ['memory', [...CART, 'resources'], `${C}.resources.limits`, `${C}.resources.requests`],
  'a place within the init containers, for one of them': [
    'runAsUser',
    [...POD, 'initContainers', 1],
    'template.spec.initContainers[].securityContext',
  ],
  'nothing in another branch': ['matchLabels', POD],
  'nothing for a name that means little': ['partition', POD],
  'that name one level below': [
    'partition',
    [...POD, 'volumes', 0],
    'template.spec.volumes[].disk',
    'template.spec.volumes[].file',
  ],
  'nothing far below for a name of many fields': ['name', []],
  'nothing for such a name in several objects below': ['name', POD],
  'such a name in the only object below': ['name', ['claims', 0], 'claims[].metadata'],
  'nothing for an unknown name': ['constructor', []],
}

describe('fieldLocations', () => {
  for (const [sentence, [key, parent, ...places]] of Object.entries(cases))
    it(`M9: finds ${sentence}`, () => expect(locations().placesOf(key, parent)).to.deep.equal(places))

  it('M9: finds a neighbour of a place above', () => {
    expect(locations().besideOf('labels', CART)).to.deep.equal(['template.metadata'])
    expect(locations().besideOf('image', [...POD, 'volumes', 0])).to.deep.equal([])
    expect(locations().besideOf('matchLabels', POD)).to.deep.equal([])
  })

  it('leaves out what is banned, and everything below it', () => {
    expect(locations().placesOf('matchLabels', [])).to.deep.equal(['selector'])
    const found = locations('selector')
    expect([found.placesOf('selector', POD), found.placesOf('matchLabels', [])]).to.deep.equal([[], []])
  })
})
