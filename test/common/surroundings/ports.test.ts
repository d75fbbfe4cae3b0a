import { expect } from 'chai'
import { hasNoOthers, lostPorts, missingPorts } from '../../../common/surroundings/ports.ts'

const having =
  (...ports: readonly string[]) =>
  (name: string) =>
    ports.includes(name)

interface Of {
  readonly portNames?: readonly string[]
  readonly hasPortNumbers?: boolean
  readonly fork?: readonly string[]
  readonly source?: readonly string[]
}
const lost = ({ fork = [], source = [], ...service }: Of) =>
  lostPorts({ name: 'cart', selector: {}, ...service }, { hasPort: having(...fork), sourceHasPort: having(...source) })

describe('the named ports of a Service', () => {
  it('that the fork lacks are each told once', () =>
    expect(missingPorts({ portNames: ['http', 'grpc', 'http'] }, { hasPort: having('grpc') })).to.deep.equal(['http']))

  it('are all it has, or not', () => {
    const service = { name: 'cart', selector: {}, portNames: ['http', 'grpc'] }
    expect([hasNoOthers(service, ['http', 'grpc']), hasNoOthers(service, ['http'])]).to.deep.equal([true, false])
    expect(hasNoOthers({ ...service, hasPortNumbers: true }, ['http', 'grpc'])).to.equal(false)
  })
})

describe('the ports on which only the source answers', () => {
  const portNames = ['http', 'grpc']

  it('are none of a Service without names, and where the fork has them all', () => {
    expect(lost({ source: ['http'] })).to.equal(undefined)
    expect(lost({ portNames, fork: portNames, source: portNames })).to.equal(undefined)
  })

  it('are those that the fork lacks, also if it has others', () => {
    expect(lost({ portNames, source: portNames, fork: ['grpc'] })).to.equal(
      'service/cart sends to the port http, which no container of the fork has',
    )
    expect(lost({ portNames: ['http'], hasPortNumbers: true, source: ['http'] })).to.contain('the port http, ')
  })

  it('are not those that the source lacks, too, unless the Service has no other', () => {
    expect(lost({ portNames, fork: ['grpc'], source: ['grpc'] })).to.equal(undefined)
    expect(lost({ portNames })).to.contain('service/cart sends to the ports http, grpc, which')
  })
})
