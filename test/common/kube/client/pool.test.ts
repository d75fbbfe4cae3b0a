import { expect } from 'chai'
import { Pool } from '../../../../common/kube/client/pool.ts'

describe('Pool', () => {
  const TLS = { ca: 'authority', cert: 'certificate', key: 'key' }
  let pool = new Pool()
  beforeEach(() => {
    pool = new Pool()
  })
  afterEach(() => pool.destroy())

  it('has no connections before it knows how to connect', async () => {
    expect(pool.agent).to.equal(undefined)
    await pool.destroy()
  })

  it('asks how many connections there may be, whenever it makes new ones', async () => {
    let asked = 0
    const asking = new Pool({
      connections: () => {
        asked += 1
        return 1
      },
    })
    expect(asked).to.equal(0)
    asking.adopt(TLS)
    asking.adopt({ ...TLS })
    expect(asked).to.equal(1)
    await asking.destroy()
  })

  it('keeps its connections while the TLS settings are the same', () => {
    pool.adopt(TLS)
    const { agent } = pool
    pool.adopt({ ...TLS })
    expect(pool.agent).to.equal(agent)
    expect(agent?.closed).to.equal(false)
  })

  for (const [what, tls] of Object.entries({
    'another certificate': { ...TLS, cert: 'renewed' },
    'another authority': { ...TLS, ca: 'other' },
    'another server name': { ...TLS, servername: 'api' },
    'the same text in another field': { ca: 'authority', cert: 'certificatekey', key: '' },
  }))
    it(`opens new connections for ${what}, and closes the old ones`, () => {
      pool.adopt(TLS)
      const { agent } = pool
      pool.adopt(tls)
      expect(pool.agent).not.to.equal(agent)
      expect(agent?.closed).to.equal(true)
    })

  it('ends all connections when it is destroyed', async () => {
    pool.adopt(TLS)
    await pool.destroy()
    expect(pool.agent?.destroyed).to.equal(true)
  })
})
