import { useSearch } from '@tanstack/react-router';
import type { ProductResource, SiteResource } from '@truetally/node';
import { useMemo } from 'react';
import { AVAILABILITIES } from '../domain/product-search.js';
import type { Column } from '../elements/data-table.js';
import style from '../elements/elements.module.css';
import { Field } from '../elements/field.js';
import { Instant } from '../elements/instant.js';
import { Money } from '../elements/money.js';
import { Options } from '../elements/options.js';
import { Filters } from '../layout/filters.js';
import { List } from '../layout/list.js';
import { ToScreen } from '../layout/next-step.js';
import { SiteScreen } from '../layout/site-screen.js';
import { useList } from '../layout/use-read.js';
import { useWorkspace } from '../layout/workspace-context.js';
import { ProductUpload } from './product-upload.js';

export function ProductsScreen() {
  return <SiteScreen title="Products">{(site) => <Products key={site.id} site={site} />}</SiteScreen>;
}

function Products({ site }: { readonly site: SiteResource }) {
  const { mayWrite } = useWorkspace();
  const { availability, product_id: productId } = useSearch({ from: '/w/$workspaceId/products' });
  const filters = { availability, product_id: productId };
  const products = useList<ProductResource>('/products', { site_id: site.id, ...filters });
  const isNarrowed = availability !== undefined || productId !== undefined;
  const columns = useMemo(() => columnsFor(site.timezone), [site.timezone]);
  return (
    <>
      {mayWrite && <ProductUpload site={site} />}
      <Filters values={filters}>
        <Field label="Availability">
          <select name="availability" defaultValue={availability ?? ''}>
            <Options of={AVAILABILITIES} words={(one) => one.replaceAll('_', ' ')} none="all" />
          </select>
        </Field>
        <Field label="Product id">
          <input name="product_id" defaultValue={productId ?? ''} autoComplete="off" maxLength={128} />
        </Field>
      </Filters>
      <List
        list={products}
        name="products"
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          isNarrowed ? (
            <p>No product fits.</p>
          ) : (
            <p>
              No product yet. Recommendations name products: upload a file, let your backend send them, or add{' '}
              <ToScreen to="integrations">a product feed</ToScreen>.
            </p>
          )
        }
      />
    </>
  );
}

function columnsFor(zone: string): readonly Column<ProductResource>[] {
  return [
    {
      title: 'Product',
      cell: ({ title, product_id: id }) => (
        <span className={style['short']}>
          {title}
          <br />
          <code>{id}</code>
        </span>
      ),
    },
    {
      title: 'Price',
      isNumber: true,
      cell: ({ price, currency }) =>
        price === null || currency === null ? 'none' : <Money amount={price} currency={currency} />,
    },
    { title: 'Availability', cell: ({ availability }) => availability.replaceAll('_', ' ') },
    { title: 'Page', cell: ({ url }) => <span className={style['short']}>{url ?? 'none'}</span> },
    { title: `Changed (${zone})`, cell: ({ updated_at: at }) => <Instant at={at} zone={zone} /> },
  ];
}
