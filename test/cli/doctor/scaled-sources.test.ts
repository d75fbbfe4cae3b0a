import { expect } from 'chai'
import { scaledSources } from '../../../cli/doctor/scaled-sources.ts'
import { SCALED, SCALED_BY } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { someFacts } from './an-installation.ts'

const small = (name: string, by: string): KubeObject => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: { name, namespace: 'shop', labels: { [SCALED]: 'uid.4.2' }, annotations: { [SCALED_BY]: by } },
})
const looked = async (...objects: readonly KubeObject[]) => scaledSources.look((await someFacts({ objects })).facts)
const BEFORE = 'Before an upgrade, a removal or another component, abort their experiments'

describe('the check of small sources', () => {
  it('is ok where there is none', async () => {
    expect(await looked()).to.deep.equal({ result: 'ok', seen: 'no experiment has made its source smaller' })
  })

  it('names them, and the commands to abort their experiments', async () => {
    expect(await looked(small('cart', 'shop/next'), small('till', 'shop/other'))).to.deep.equal({
      result: 'warn',
      seen: 'smaller than without their experiments: shop/cart, shop/till',
      remedy: `${BEFORE}: kubectl experiment abort next --namespace=shop; kubectl experiment abort other --namespace=shop`,
    })
  })

  it('makes no command of a text that names no experiment', async () => {
    expect((await looked(small('cart', 'shop/next; rm -rf ~'))).remedy).to.equal(`${BEFORE}.`)
  })

  it('names a few of many', async () => {
    const many = Array.from({ length: 9 }, (_, index) => small(`cart-${index}`, 'shop/next'))
    expect((await looked(...many)).seen).to.match(
      /: shop\/cart-0, shop\/cart-1, shop\/cart-2, shop\/cart-3 and 5 more$/,
    )
  })

  it('is not known to somebody who may not list them', async () => {
    const { facts } = await someFacts({ unread: ['Deployment'] })
    expect(await scaledSources.look(facts)).to.deep.equal({ result: 'unknown', seen: 'you cannot list Deployment' })
  })
})
