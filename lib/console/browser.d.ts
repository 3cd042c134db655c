/** Type of style sheets that modules import. The bundler joins them into one file. */
declare module '*.css';
