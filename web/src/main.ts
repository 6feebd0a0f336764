import '@fontsource-variable/ibm-plex-sans/standard.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import './design/tokens.css';
import './design/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { sayValidity } from './forms/validity';
import { i18n } from './i18n/i18n.svelte';
import { laterPage } from './routing/later';
import { keepShell } from './state/offline';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no #app to mount the page in');
void i18n.show().then(() => mount(App, { target }));

// What people open next follows the first load, so that a tap does not wait for it.
addEventListener('load', () => void laterPage('case')?.().catch(() => undefined));
sayValidity();
keepShell();
